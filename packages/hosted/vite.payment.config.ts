// Builds the payment page by itself: one file is smaller than several shared with other pages, and few payers open two
// flows in a row. The bundler splits it at `import('./late.js')`.
import { defineConfig, type UserConfig } from 'vite';
import { pagesBuild } from './vite.pages.js';

const config: UserConfig = defineConfig(
  pagesBuild({ name: 'payment', flows: ['payment'], catalogs: ['payment', 'after'] }),
);
export default config;
