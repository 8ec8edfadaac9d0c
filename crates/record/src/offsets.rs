use serde::{Deserialize, Serialize};

/// Planned memory layout of a worker process, in bytes modulo [`Offsets::PAGE`]. All values are multiples of
/// [`Offsets::STEP`].
// The order of the fields is part of the store's encoding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Offsets {
    /// Address of the stack frame that calls the operation, modulo a page. The distance from this frame to the frames
    /// of a library is the same in all processes.
    pub stack: u16,
    /// Distance by which all later allocations on the heap are moved, modulo a page.
    pub heap: u16,
    /// Distance by which a case's keys are moved, modulo a page. Replaces `heap` for them. Keys that fit into gaps
    /// between earlier allocations move with the heap instead.
    pub keys: u16,
}

impl Offsets {
    /// Size of a page in bytes.
    pub const PAGE: u16 = 4096;
    /// Alignment of stack frames and allocations in bytes, which every library gets in any case.
    pub const STEP: u16 = 16;

    /// Returns each offset with the name of the part of memory that it moves.
    pub fn parts(self) -> [(MemoryPart, u16); 3] {
        [(MemoryPart::Stack, self.stack), (MemoryPart::Heap, self.heap), (MemoryPart::Keys, self.keys)]
    }
}

/// Part of a process's memory with a planned [offset](Offsets).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryPart {
    /// The stack.
    Stack,
    /// The heap.
    Heap,
    /// The case's keys.
    Keys,
}

impl MemoryPart {
    /// Returns the keyword used in files and texts.
    pub fn name(self) -> &'static str {
        match self {
            MemoryPart::Stack => "stack",
            MemoryPart::Heap => "heap",
            MemoryPart::Keys => "keys",
        }
    }
}
