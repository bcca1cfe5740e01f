import { takeWebhook } from '../../billing.js';

export async function POST(request: Request): Promise<Response> {
  return new Response(null, { status: await takeWebhook(await request.text(), request.headers) });
}
