/** Runs `work` when this process exits, normally or by a signal. Returns a function that cancels that. */
export declare function atEnd(work: () => void): () => void;
