//! Tells the build scripts of dependents which runtime was chosen, as `DEP_ICFFI_RUNTIME`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let simulator = std::env::var_os("CARGO_FEATURE_SIM").is_some();
    println!(
        "cargo::metadata=RUNTIME={}",
        if simulator { "simulator" } else { "cuda" }
    );
}
