import { payBill } from '../../../../billing.js';

type Context = { params: Promise<{ account: string }> };

export async function POST(_request: Request, { params }: Context): Promise<Response> {
  const session = await payBill((await params).account);
  return session ? Response.json(session) : new Response(null, { status: 404 });
}
