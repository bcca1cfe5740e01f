/**
 * The protocol between the SDK on the merchant's page and a hosted page in its frame.
 * The SDK posts `init` with a `MessagePort` to the session's exact origin, again and again until `ready` comes
 * back over the port; the page takes the first `init` from its `parent`, from an origin that the business unit
 * allows, and everything after goes over the port. No message carries the session's secret or card data.
 */
export const INIT = 'embedded-sessions:init';

export type ToPage = { type: 'close' } | { type: 'focus' };

export type FlowState = 'form' | 'processing' | 'done';

export type FromPage =
  | { type: 'ready' }
  /** Height of the content, CSS px. */
  | { type: 'resize'; height: number }
  /** `processing`: a payment is in flight and closing is held back. */
  | { type: 'state'; state: FlowState }
  | { type: 'completed'; sessionId: string; detail: unknown }
  | { type: 'close-request'; reason: 'escape' | 'cancel' | 'done' }
  | { type: 'expired' }
  | { type: 'error'; message: string };

const STATES: readonly string[] = ['form', 'processing', 'done'] satisfies FlowState[];
const REASONS: readonly string[] = ['escape', 'cancel', 'done'];

/** The message, or null for anything this version does not know: unknown types are ignored, never an error. */
export function parseFromPage(value: unknown): FromPage | null {
  if (typeof value !== 'object' || value === null) return null;
  const message = value as Record<string, unknown>;
  switch (message['type']) {
    case 'ready':
    case 'expired':
      return { type: message['type'] };
    case 'resize':
      return typeof message['height'] === 'number' && Number.isFinite(message['height'])
        ? { type: 'resize', height: message['height'] }
        : null;
    case 'state':
      return STATES.includes(String(message['state']))
        ? { type: 'state', state: message['state'] as FlowState }
        : null;
    case 'completed':
      return typeof message['sessionId'] === 'string'
        ? { type: 'completed', sessionId: message['sessionId'], detail: message['detail'] }
        : null;
    case 'close-request':
      return REASONS.includes(String(message['reason']))
        ? { type: 'close-request', reason: message['reason'] as 'escape' | 'cancel' | 'done' }
        : null;
    case 'error':
      return typeof message['message'] === 'string' ? { type: 'error', message: message['message'] } : null;
    default:
      return null;
  }
}

export function parseToPage(value: unknown): ToPage | null {
  if (typeof value !== 'object' || value === null) return null;
  const type = (value as Record<string, unknown>)['type'];
  return type === 'close' || type === 'focus' ? { type } : null;
}
