//! icffi-sim
