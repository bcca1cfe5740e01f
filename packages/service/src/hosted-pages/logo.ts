/**
 * A business unit's logo. A `data:` logo is served as a separate file, so the HTML stays small enough to compress for
 * each request.
 */
import type { HostedBusiness } from './business.js';
import { originOf } from './origin-of.js';

const DATA_IMAGE = /^data:image\/[a-z+.-]+[;,]/i;

/** Address of the logo for a page at `/s/{sessionId}`; undefined if the unit has no displayable logo. */
export function logoAddress(
  { logoUrl = '' }: Pick<HostedBusiness, 'logoUrl'>,
  sessionId: string,
): string | undefined {
  if (DATA_IMAGE.test(logoUrl)) return `${encodeURIComponent(sessionId)}/logo`;
  return /^https?:/i.test(logoUrl) && originOf(logoUrl) !== undefined ? new URL(logoUrl).href : undefined;
}

interface LogoFile {
  type: string;
  body: ArrayBuffer;
}

/** Decoded once per business unit of the config. */
const decoded = new WeakMap<HostedBusiness, Promise<LogoFile>>();

/** `GET /s/{id}/logo`: the `data:` logo of the session's business unit. */
export async function logoResponse(business: HostedBusiness | undefined): Promise<Response> {
  if (business?.logoUrl === undefined || !DATA_IMAGE.test(business.logoUrl))
    return new Response('Not found', { status: 404, headers: { 'cache-control': 'no-store' } });

  let file = decoded.get(business);
  if (file === undefined) {
    file = decode(business.logoUrl);
    decoded.set(business, file);
  }
  const { type, body } = await file;

  return new Response(body, {
    headers: {
      'content-type': type,
      'cache-control': 'private, max-age=600',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      // Prevents scripts in an SVG that is opened directly.
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    },
  });
}

async function decode(dataUrl: string): Promise<LogoFile> {
  const response = await fetch(dataUrl);
  return {
    type: response.headers.get('content-type') ?? 'application/octet-stream',
    body: await response.arrayBuffer(),
  };
}
