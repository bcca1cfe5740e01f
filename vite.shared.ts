/** `@shared/…` resolves to the modules that pages and service share. */
export const resolve = {
  alias: { '@shared': new URL('./packages/service/src/shared', import.meta.url).pathname },
};
