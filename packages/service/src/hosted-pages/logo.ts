/**
 * A business unit's logo. A `data:` logo is served as a separate file, so the HTML stays small enough to compress for
 * each request.
 */
import { defined } from '../core/defined.js';
import type { BusinessUnit } from '../platform/config/config.js';
import { originOf } from './headers.js';

type Logos = Pick<BusinessUnit, 'logoUrl' | 'logoUrlDark'>;

const DATA_IMAGE = /^data:image\/[a-z+.-]+[;,]/i;

/** URLs of the displayable logos. `at` is the session's page, relative to the page that shows them. */
export function logosOf({ logoUrl, logoUrlDark }: Logos, at: string): { light?: string; dark?: string } {
  return defined({
    light: addressOf(logoUrl, `${at}/logo`),
    dark: addressOf(logoUrlDark, `${at}/logo?dark`),
  });
}

export function logoOrigins(business: Logos): string[] {
  const logos = Object.values(logosOf(business, '')).filter((logo) => URL.canParse(logo));
  return [...new Set(logos.map((logo) => new URL(logo).origin))];
}

/** `own`: the URL of a `data:` logo. */
function addressOf(logoUrl = '', own: string): string | undefined {
  if (DATA_IMAGE.test(logoUrl)) return own;
  return /^https?:/i.test(logoUrl) && originOf(logoUrl) !== undefined ? new URL(logoUrl).href : undefined;
}

interface LogoFile {
  type: string;
  body: ArrayBuffer;
}

const decoded = new WeakMap<Logos, Map<string, Promise<LogoFile>>>();

/** `GET /s/{id}/logo`, and `?dark`: the `data:` logo of the session's business unit. */
export async function logoResponse(business: Logos | undefined, isDark: boolean): Promise<Response> {
  const url = isDark ? business?.logoUrlDark : business?.logoUrl;
  if (business === undefined || url === undefined || !DATA_IMAGE.test(url))
    return new Response('Not found', { status: 404, headers: { 'cache-control': 'no-store' } });

  const files = decoded.get(business) ?? new Map<string, Promise<LogoFile>>();
  decoded.set(business, files);
  const file = files.get(url) ?? decode(url);
  files.set(url, file);
  const { type, body } = await file;

  return new Response(body, {
    headers: {
      'content-type': type,
      'cache-control': 'private, max-age=600',
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
