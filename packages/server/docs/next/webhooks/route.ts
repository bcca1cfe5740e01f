import { handleWebhook } from '../../billing.js';

export async function POST(request: Request): Promise<Response> {
  return new Response(null, { status: await handleWebhook(await request.text(), request.headers) });
}
