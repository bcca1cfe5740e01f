// The pages of the management flows: what all of them need is one file, cached over all flows.
import { defineConfig, type UserConfig } from 'vite';
import { FLOWS, pagesBuild } from './vite.pages.js';

const config: UserConfig = defineConfig(
  pagesBuild({
    first: true,
    name: 'manage',
    flows: FLOWS.filter((flow) => flow !== 'payment'),
    catalogs: ['manage', 'problem'],
    files: [
      {
        name: 'app',
        test: /node_modules|vite\/|pages\/kit\/(shell|design|format|source|text\/index)/,
      },
      { name: 'manage', test: /pages\/kit\/manage\// },
    ],
  }),
);
export default config;
