#!/bin/sh
# Runs the suite of icffi on this machine's GPU. Needs the NVIDIA driver, nothing else.
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 2

usage() {
    cat <<'END'
usage: ./run [OPTION] [PART]
  no option             run every test program, then the demo
  PART                  only tests whose name contains PART
  --demo [ARGS]         only the demo, with its arguments (--help lists them)
  --sanitizer [TOOL]    under compute-sanitizer: memcheck with leak check (the default),
                        racecheck, initcheck or synccheck
  --list                name the test programs
  --help                this text
END
}

mode=tests tool=memcheck part=
case "${1-}" in
'') ;;
--help | -h) usage; exit 0 ;;
--list) ls "$here/tests"; exit 0 ;;
--demo) mode=demo; shift ;;
--sanitizer)
    mode=sanitizer; shift
    case "${1-}" in
    memcheck | racecheck | initcheck | synccheck) tool=$1; shift ;;
    esac
    part=${1-} ;;
-*) echo "error: unknown option '$1'" >&2; usage >&2; exit 2 ;;
*) part=$1 ;;
esac

# For the tests of this script only.
case "${ICFFI_SUITE_ASSUME_GPU-}" in
yes) gpu=assumed ;;
no) gpu= ;;
*)
    gpu=$(nvidia-smi -L 2>/dev/null | sed -n 's/^GPU [0-9]*: \(.*\) (UUID.*/\1/p' | head -n 1)
    if [ -z "$gpu" ] && { [ -e /dev/nvidia0 ] || [ -e /dev/dxg ]; }; then gpu='NVIDIA GPU'; fi ;;
esac
if [ -z "$gpu" ]; then
    echo 'error: this machine has no NVIDIA GPU (or no driver for it); nothing was tested' >&2
    exit 2
fi

export ICFFI_DEMO_BIN="$here/icffi-demo" ICFFI_DEMO_DATA="$here/data"
: "${ICFFI_DEMO_WHY:=this machine has an $gpu}"
export ICFFI_DEMO_WHY

if [ "$mode" = demo ]; then
    exec "$ICFFI_DEMO_BIN" "$@"
fi

if [ "$mode" = sanitizer ]; then
    sanitizer=$(command -v compute-sanitizer) || sanitizer=$here/compute-sanitizer/compute-sanitizer
    if [ ! -x "$sanitizer" ]; then
        echo 'error: compute-sanitizer is not on the PATH (it comes with the CUDA toolkit)' >&2
        exit 2
    fi
    # Some programs test types alone and never start CUDA.
    options="--tool $tool --error-exitcode 86 --require-cuda-init no"
    # The tests make CUDA calls fail on purpose; what they do with the error is what is tested.
    [ "$tool" = memcheck ] && options="$options --report-api-errors no"
    options="$options ${ICFFI_SANITIZER_OPTIONS-}"
fi

logs=$(mktemp -d) || exit 2
trap 'rm -rf "$logs"' EXIT
trap 'exit 130' INT TERM
passed=0 failed=0 skipped=0 bad=

# Runs one program and adds up what it says. A program that dies without saying is one failure.
one() {
    name=$1; shift
    echo "==> $name"
    "$@" >"$logs/log" 2>&1
    code=$?
    cat "$logs/log"
    counts=$(sed -n 's/^test result: .* \([0-9]*\) passed; \([0-9]*\) failed; \([0-9]*\) ignored.*/\1 \2 \3/p' "$logs/log" | tail -n 1)
    if [ -n "$counts" ]; then
        # shellcheck disable=SC2086 # three numbers on purpose
        set -- $counts
        passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
        if [ "$code" -ne 0 ] && [ "$2" -eq 0 ]; then failed=$((failed + 1)); fi
    elif [ "$code" -ne 0 ]; then
        echo "$name ended with code $code"
        failed=$((failed + 1))
    fi
    if [ "$code" -ne 0 ]; then bad="$bad $name"; fi
}

echo "running on: $gpu"
for program in "$here"/tests/*; do
    test=$(basename "$program")
    if [ "$mode" = sanitizer ]; then
        # The demo's tests start the demo as a child and look at its messages.
        case "$test" in icffi-demo*) continue ;; esac
        if [ "$tool" = memcheck ] && [ -z "$part" ]; then
            # Tests whose name says that they are leaking lose memory on purpose (a forgotten
            # guard): they run too, but their leaks are no finding.
            # shellcheck disable=SC2086 # options are words
            one "$test ($tool, leak check)" "$sanitizer" $options --leak-check full "$program" \
                --test-threads=1 --skip leaking
            if ! "$program" --list leaking | grep -q ': test$'; then continue; fi
            # shellcheck disable=SC2086 # options are words
            one "$test ($tool)" "$sanitizer" $options "$program" --test-threads=1 leaking
            continue
        fi
        # shellcheck disable=SC2086 # options are words
        one "$test ($tool)" "$sanitizer" $options "$program" --test-threads=1 ${part:+"$part"}
    else
        one "$test" "$program" ${part:+"$part"}
    fi
done
if [ "$mode" = tests ] && [ -z "$part" ]; then
    one demo "$ICFFI_DEMO_BIN" --out "$logs/edges.png"
fi

echo
if [ -n "$bad" ]; then echo "failed:$bad"; fi
if [ "$skipped" -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
if [ "$failed" -ne 0 ] || [ -n "$bad" ]; then exit 1; fi
if [ "$passed" -eq 0 ]; then
    echo 'error: no test ran' >&2
    exit 1
fi
