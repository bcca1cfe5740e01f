/** Reads JSON schemas, as far as the API's requests use the language. */
import type { Json } from '@shared/inspector.js';

export type JsonObject = { [key: string]: Json };

export interface Schema {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  format?: string;
  contentMediaType?: string;
}

/** The initial value of a field: the smallest that its schema accepts. */
export function beginning(schema: Schema): Json {
  const { type, properties = {}, required = [], items, enum: words } = schema;
  if (type === 'object')
    return Object.fromEntries(required.map((name) => [name, beginning(properties[name] ?? {})]));
  if (type === 'array') return items ? [beginning(items)] : [];
  if (type === 'integer' || type === 'number') return schema.minimum ?? 0;
  if (type === 'boolean') return false;
  return words?.[0] ?? '';
}

/** The value to send for typed text. Text that is not a number is sent unchanged, so that the service refuses it. */
export function fieldOf({ type }: Schema, text: string): Json {
  const number = Number(text);
  const isNumber = (type === 'integer' || type === 'number') && Number.isFinite(number);
  return isNumber && String(number) === text ? number : text;
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A copy with or without this property. */
export function withField(value: JsonObject, name: string, field: Json | undefined): JsonObject {
  const { [name]: _, ...rest } = value;
  return field === undefined ? rest : { ...value, [name]: field };
}
