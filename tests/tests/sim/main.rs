//! What only the simulator can show: every schedule, every fault, every count. Tests are named
//! after the row of the soundness table, or the amendment, that they hold.

mod callbacks;
mod corners;
mod counts;
mod devices;
mod entries;
mod exit;
mod faults;
mod kernels;
mod leases;
mod memory_limits;
mod open_uses;
mod parts_and_graphs;
mod quarantine;
mod rows;
mod schedules;
mod scope;
mod sticky;
mod sweeps;
mod table;
