/** The test processor's challenge: a page where the payer approves or declines. */
import { Hono, type Context } from 'hono';
import { isId } from '../core/page-ids.js';
import { readBytes } from '../platform/http/body.js';
import { hashSource, ISOLATED } from './headers.js';
import type { TestLedger } from '../processor/rules/test-ledger.js';
import { CHALLENGE_PATH, isChallenged } from '../processor/test-processor.js';

export interface TestChallengeParts {
  readonly ledger: TestLedger;
  /** Where an attempt's finished challenge sends its frame; null if there is no such attempt. */
  readonly returnUrl: (attemptId: string) => Promise<string | null>;
}

const STYLE = `:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}body{margin:0;padding:16px;background:canvas;color:canvastext}h1{font-size:1.25rem}
button{font:inherit;display:block;inline-size:100%;min-block-size:44px;margin-block:12px;cursor:pointer}`;

const HTML = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Test bank</title><style>${STYLE}</style>
<main><h1>Test bank</h1><p>A real bank asks the cardholder here to confirm the payment. No money moves.</p>
<form method="post"><button name="answer" value="approved">Approve</button><button name="answer" value="declined">Decline</button></form></main></html>`;

const HEADERS = {
  'content-security-policy': `default-src 'none'; style-src ${hashSource(STYLE)}; base-uri 'none'; form-action 'self'; frame-ancestors *`,
  'cache-control': 'no-store',
  ...ISOLATED,
};

/** The form sends a few bytes. */
const MAX_BYTES = 1_024;

/** Empty for a malformed id, which no payment has. */
function attemptOf(c: Context): string {
  const id = c.req.query('attempt');
  return isId(id) ? id : '';
}

export function testChallenge({ ledger, returnUrl }: TestChallengeParts): Hono {
  const routes = new Hono();

  routes.get(CHALLENGE_PATH, async (c) => {
    const entry = await ledger.find(attemptOf(c));
    return entry && isChallenged(entry)
      ? c.html(HTML, 200, HEADERS)
      : c.text('There is no such challenge.', 404);
  });

  routes.post(CHALLENGE_PATH, async (c) => {
    const attemptId = attemptOf(c);
    const bytes = await readBytes(c.req.raw, MAX_BYTES);
    const answer = new URLSearchParams(new TextDecoder().decode(bytes)).get('answer');
    const back = await returnUrl(attemptId);
    if (back === null || (answer !== 'approved' && answer !== 'declined'))
      return c.text('There is no such challenge.', 404);

    await ledger.answerChallenge(attemptId, answer);
    return c.redirect(back, 303);
  });

  return routes;
}
