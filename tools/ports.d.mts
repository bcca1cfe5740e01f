/** Finds free ports, all different, outside the ephemeral range. */
export declare function freePorts(count: number): Promise<number[]>;
export declare function freePort(): Promise<number>;
