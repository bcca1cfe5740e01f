import type { ROWS } from './rows.mjs';

export interface Measured {
  readonly peers?: readonly { name: string; version: string; value: number; unit?: string }[];
  readonly points?: readonly { x: number; value: number }[];
  readonly note?: string;
}
export function record(id: keyof typeof ROWS, value: number, more?: Measured): void;
