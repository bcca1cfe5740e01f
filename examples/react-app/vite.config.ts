import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// Page and backend share an origin, as in production: `/api` is proxied to the merchant backend.
const proxy = {
  '/api': { target: process.env['BACKEND_URL'] ?? 'http://127.0.0.1:5174', changeOrigin: false },
};
const port = Number(process.env['PORT'] ?? 5173);

export default defineConfig({
  plugins: [react()],
  publicDir: '../merchant-backend/public',
  server: { host: '127.0.0.1', port, strictPort: true, proxy },
  preview: { host: '127.0.0.1', port, strictPort: true, proxy },
});
