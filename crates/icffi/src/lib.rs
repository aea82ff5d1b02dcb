//! icffi
