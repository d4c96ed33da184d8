//! What reading a body takes from the heap.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use pessoas_rust::person::{NewPerson, Refusal};

thread_local! {
    /// Pieces of memory that this thread has taken, or taken anew for more room.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

struct Counting;

fn count() {
    ALLOCATIONS.set(ALLOCATIONS.get() + 1);
}

// SAFETY: all is done by the system's allocator; the count takes no memory.
#[allow(unsafe_code, reason = "there is no other way to count allocations")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as promised by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as promised by the caller.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as promised by the caller.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Allocations of reading a body, and what came of it.
fn reading(body: &str) -> (u64, Result<(), Refusal>) {
    let before = ALLOCATIONS.get();
    let read = NewPerson::from_json(body.as_bytes());
    (ALLOCATIONS.get() - before, read.map(drop))
}

#[test]
fn a_text_without_escapes_takes_nothing_from_the_heap() {
    for body in [
        r#"{"apelido":"ana","nome":"Ana  Ação","nascimento":"2000-01-31"}"#,
        r#"{"apelido":"ana","nome":"Ana","nascimento":"2000-01-31","stack":null,"more":7}"#,
        r#"{"apelido":"ana","nome":"Ana","nascimento":"2000-01-31","stack":[]}"#,
    ] {
        assert_eq!(reading(body), (0, Ok(())), "{body}");
    }
    // The list itself, and no more than it.
    let listed =
        r#"{"apelido":"ana","nome":"Ana","nascimento":"2000-01-31","stack":["C++","Rust","Go","C#"]}"#;
    assert_eq!(reading(listed), (1, Ok(())));
    // The count counts.
    let escaped = r#"{"apelido":"\n","nome":"Ana","nascimento":"2000-01-31"}"#;
    assert!(reading(escaped).0 > 0);
}
