/** `@shared/…` is what pages and service both decide by. */
export const resolve = {
  alias: { '@shared': new URL('./packages/service/src/shared', import.meta.url).pathname },
};
