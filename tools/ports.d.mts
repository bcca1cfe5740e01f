/** Free ports, all different, that no system gives to whoever asks for any. */
export declare function freePorts(count: number): Promise<number[]>;
export declare function freePort(): Promise<number>;
