// What fragments of the docs take for granted: what an example before them, or the reader's own code, has declared.
import type * as LoaderPackage from '@embedded-sessions/loader';
import type * as ReactPackage from '@embedded-sessions/react';
import type * as ServerPackage from '@embedded-sessions/server';
import type * as ServicePackage from '@embedded-sessions/service';

declare global {
  // Doors that a page has imported further up.
  const createLoader: typeof LoaderPackage.createLoader;
  const isLoaderError: typeof LoaderPackage.isLoaderError;
  const useEmbeddedPayment: typeof ReactPackage.useEmbeddedPayment;
  const useEmbeddedFlow: typeof ReactPackage.useEmbeddedFlow;
  const EmbeddedFlow: typeof ReactPackage.EmbeddedFlow;
  const createServiceClient: typeof ServerPackage.createServiceClient;
  type SessionRef = LoaderPackage.SessionRef;

  // What they gave.
  const loader: LoaderPackage.Loader;
  const service: LoaderPackage.EmbeddedService;
  const client: ServerPackage.ServiceClient;
  const sessionUrl: string;
  const container: HTMLElement;
  const options: Parameters<typeof ReactPackage.useEmbeddedPayment>[0];

  // What createServiceClient takes.
  type ClientOptions = Required<Parameters<typeof ServerPackage.createServiceClient>[0]>;
  const environment: 'staging';
  const baseUrl: string;
  const apiKey: string;
  const baseUrls: ClientOptions['baseUrls'];
  const onRequest: ClientOptions['onRequest'];
  const onResponse: ClientOptions['onResponse'];
  const readSession: ClientOptions['readSession'];
  const readEvent: ClientOptions['readEvent'];

  // The reader's own.
  const config: Parameters<typeof ServicePackage.createTestService>[0]['config'];
  interface AcmeSdk {
    open(
      url: string,
      callbacks: {
        onReady(): void;
        onPaid(receipt: unknown): void;
        onClose(): void;
        onError(error: unknown): void;
      },
    ): void;
  }
  interface GlobalEventHandlersEventMap {
    'embedded-session:settled': CustomEvent<import('@embedded-sessions/loader/script').ButtonResult>;
  }
  interface WindowEventMap {
    'embedded-session:settled': CustomEvent<import('@embedded-sessions/loader/script').ButtonResult>;
  }
}
