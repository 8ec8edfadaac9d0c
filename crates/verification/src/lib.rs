//! Are the answers right? Known answers, published vectors, and every library against every other.
