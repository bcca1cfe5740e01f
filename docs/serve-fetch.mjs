// Serves a function from Request to Response on a loopback port.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

/** @param {(request: Request) => Response | Promise<Response>} handler */
export async function serveFetch(handler) {
  const handle = async (request, response) => {
    const result = await handler(
      new Request(`http://127.0.0.1${request.url}`, {
        method: request.method,
        headers: request.headers,
        body: request.method === 'GET' ? undefined : await text(request),
      }),
    );
    response.writeHead(result.status, Object.fromEntries(result.headers)).end(await result.text());
  };
  const server = createServer((request, response) => {
    handle(request, response).catch((error) => response.writeHead(500).end(String(error)));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
