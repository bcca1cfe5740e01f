/** @type {import('next').NextConfig} */
export default {
  // The workspace's own `tsc -b` checks the types, with the compiler that the rest is checked with.
  typescript: { ignoreBuildErrors: true },
  // Here each build is the first one: what would be kept for the next costs a seventh of it.
  experimental: { turbopackFileSystemCacheForBuild: false },
  // Server actions answer the page itself and nobody else.
  poweredByHeader: false,
};
