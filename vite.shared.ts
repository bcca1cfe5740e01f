/** The modules that packages share without publishing them. */
export const resolve = {
  alias: {
    '@shared': new URL('./packages/service/src/shared', import.meta.url).pathname,
    '@embedded-sessions/loader/internal': new URL('./packages/loader/src/internal.ts', import.meta.url)
      .pathname,
  },
};
