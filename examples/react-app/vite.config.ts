import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// The page and the backend share an origin, as they do in production: `/api` goes to the merchant backend.
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
