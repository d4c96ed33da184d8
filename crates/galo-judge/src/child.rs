//! A child of a run of runs, as its judge hears it.

use crate::fight::JudgedFight;
use crate::limit::JudgedLimit;

/// A child that is over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Child<'a> {
    /// Its number, from 1. Where machines share a run, its children are over in any order.
    pub number: u32,
    /// What it came to.
    pub came_to: CameTo<'a>,
}

/// What a child came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CameTo<'a> {
    /// A fight, a check, or a block of rounds.
    Fight(&'a JudgedFight),
    /// A search for the highest scale.
    Limit(&'a JudgedLimit),
    /// Nothing: why it could not be driven.
    Nothing(&'a str),
}

impl<'a> Child<'a> {
    /// The fight, check or block, if it is one.
    pub(crate) fn fight(&self) -> Option<&'a JudgedFight> {
        match self.came_to {
            CameTo::Fight(fight) => Some(fight),
            CameTo::Limit(_) | CameTo::Nothing(_) => None,
        }
    }
}
