import { plain } from '@shared/plain.js';

/** Formats phone numbers as people in the US write them. Longer ones stay as they are. */
export function formatPhone(typed: string): string {
  const digits = typed.length > 10 && typed.startsWith('1') ? typed.slice(1) : typed;
  if (digits.length > 10) return typed;
  if (digits.length <= 3) return digits;
  if (digits.length <= 6) return `(${digits.slice(0, 3)}) ${digits.slice(3)}`;
  return `(${digits.slice(0, 3)}) ${digits.slice(3, 6)}-${digits.slice(6)}`;
}

/** Returns the input to format, or null to leave a number with a country code as it is. */
export const usNumber = (value: string): string | null => (plain(value).includes('+') ? null : value);

/** `+15555550100` → `(555) 555-0100`. Leaves numbers from other countries unchanged. */
export function phoneText(e164: string): string {
  return /^\+1\d{10}$/.test(e164) ? formatPhone(e164.slice(2)) : e164;
}
