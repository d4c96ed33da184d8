//! What a case of conformance expected, and what came instead.

mod words;

use galo_plan::JsonSchema;
use serde::{Deserialize, Serialize};

pub use words::difference;

/// What an answer was held to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Expected {
    /// A server that lives on after the case.
    LivesOn,
    /// A whole answer.
    WholeAnswer,
    /// No status of 500 and above.
    NoServerError,
    /// One status of these.
    Status {
        /// In ascending order: `404`, or `4xx` for all of them.
        statuses: Vec<String>,
    },
    /// This status once in so many requests at once.
    Once {
        /// The status.
        status: u16,
        /// How many requests.
        requests: u64,
    },
    /// A header.
    Header {
        /// Its name.
        name: String,
    },
    /// A Location of this and a UUID.
    Location {
        /// What comes before the UUID.
        before: String,
    },
    /// A Location that names no host.
    RelativeLocation,
    /// An answer on the connection of the request before it.
    SameConnection,
    /// A kind of content.
    ContentType {
        /// Which.
        media_type: String,
    },
    /// JSON that shows all of this.
    Shows {
        /// In one line.
        json: String,
    },
    /// A list.
    Lists {
        /// The elements that it should hold.
        elements: Elements,
        /// Whether what came is not even a list.
        is_array: bool,
    },
    /// A body that is these bytes.
    Bytes {
        /// How many.
        bytes: u64,
    },
    /// A list of so many elements at most.
    AtMost {
        /// How many.
        elements: u64,
    },
    /// A list.
    Array,
    /// A list with an element that shows all of this.
    Element {
        /// In one line.
        json: String,
    },
    /// An integer and nothing else.
    Integer,
    /// A count of so many at least.
    AtLeast {
        /// How many.
        count: u64,
    },
}

/// What was to be listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "which")]
pub enum Elements {
    /// Nothing.
    Nothing,
    /// So many of these at least.
    AtLeast {
        /// How many.
        at_least: u64,
        /// Of how many.
        of: u64,
    },
    /// All of these, and maybe others.
    These(Ids),
    /// These and nothing else.
    NothingBut(Ids),
}

/// Identities, of which the first few are named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ids {
    /// The first few.
    pub ids: Vec<String>,
    /// How many others there are.
    pub more: u64,
}

/// What came instead. Values are as they came, in one line, and cut where they are long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Came {
    /// The server answers no more.
    NoMore {
        /// Why, in the words of what failed.
        because: String,
    },
    /// No whole answer.
    Broken {
        /// The status that had come before that; null: none.
        status: Option<u16>,
        /// Why, in the words of what failed.
        because: String,
    },
    /// Another status.
    Status {
        /// Which.
        status: u16,
    },
    /// So many of the requests had it.
    Had {
        /// How many.
        requests: u64,
    },
    /// Nothing.
    Nothing,
    /// This.
    Value {
        /// As it came.
        value: String,
    },
    /// The connection was closed.
    Closed,
    /// A body that is too long for a right answer.
    TooLong {
        /// Its length.
        bytes: u64,
    },
    /// A body that is no JSON.
    NoJson {
        /// Why, in the words of the parser.
        because: String,
    },
    /// JSON that is no object.
    NoObject {
        /// As it came.
        value: String,
    },
    /// JSON that is no array.
    NoArray {
        /// As it came.
        value: String,
    },
    /// Another value of a key.
    Other {
        /// The key.
        key: String,
        /// As it came.
        value: String,
    },
    /// A key was left out.
    LeftOut {
        /// The key.
        key: String,
    },
    /// An element without an id.
    WithoutId {
        /// As it came.
        value: String,
    },
    /// An element twice.
    Twice {
        /// Its id.
        id: String,
    },
    /// So many of those in a list of so many.
    Known {
        /// How many.
        known: u64,
        /// How many were listed.
        listed: u64,
    },
    /// Others.
    Strangers(Ids),
    /// Other bytes.
    OtherBytes {
        /// How many.
        bytes: u64,
        /// How many of the first are as they should be.
        alike: u64,
    },
    /// So many elements.
    Elements {
        /// How many.
        elements: u64,
    },
}
