import { createServiceClient } from '@embedded-sessions/server';
import { createFakeService } from '@embedded-sessions/server/testing';

/** For unit tests of your own code. For integration tests, run the real service: `createTestService()`. */
export function fakeClient() {
  const service = createFakeService();
  const client = createServiceClient({
    environment: 'staging',
    baseUrl: 'https://service.test',
    apiKey: 'any',
    fetch: service.fetch,
  });
  return { service, client };
}
