//! icffi-build
