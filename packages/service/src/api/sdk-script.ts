import { Hono } from 'hono';
import type { Deps } from '../deps.js';

/** `GET /app/embedded.loader.js`. */
export function sdkScript(_deps: Deps): Hono {
  return new Hono();
}
