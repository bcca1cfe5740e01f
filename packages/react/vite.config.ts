import { mergeConfig } from 'vite';
import { library } from '../../vite.library.js';

// The bundler drops directives of modules that it merges, and a server component may import only modules with the directive.
export default mergeConfig(library(['index', 'testing'], [/^react(-dom)?(\/|$)/, /^@embedded-sessions\//]), {
  build: { rolldownOptions: { output: { banner: '"use client";' } } },
});
