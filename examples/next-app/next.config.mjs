/** @type {import('next').NextConfig} */
export default {
  // The workspace's `tsc -b` checks the types, with the same compiler as everything else.
  typescript: { ignoreBuildErrors: true },
  // Every build here is a clean one, and writing the cache takes a seventh of its time.
  experimental: { turbopackFileSystemCacheForBuild: false },
};
