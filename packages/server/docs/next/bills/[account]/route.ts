import { confirmBill } from '../../../billing.js';

type Context = { params: Promise<{ account: string }> };

export async function GET(_request: Request, { params }: Context): Promise<Response> {
  return Response.json({ paid: await confirmBill((await params).account) });
}
