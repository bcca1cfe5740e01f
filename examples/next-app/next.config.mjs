/** @type {import('next').NextConfig} */
export default {
  // The workspace's own `tsc -b` checks the types, with the compiler that the rest is checked with.
  typescript: { ignoreBuildErrors: true },
  // Server actions answer the page itself and nobody else.
  poweredByHeader: false,
};
