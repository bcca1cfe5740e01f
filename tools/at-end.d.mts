/** Has this process do something when it ends, by itself or by a signal; what it returns takes that back. */
export declare function atEnd(work: () => void): () => void;
