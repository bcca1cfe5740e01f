// Renders Mermaid diagrams when the site is built.
import { renderMermaidSVG } from 'beautiful-mermaid';

const COLORS = { bg: 'var(--vp-c-bg)', fg: 'var(--vp-c-text-1)', font: 'system-ui' };
// The library's style loads a font from the network.
const withoutImports = (svg) => svg.replaceAll(/@import url\([^)]*\);/g, '');

/** @param {import('vitepress').MarkdownRenderer} md */
export function drawDiagrams(md) {
  const fence = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index];
    if (info.trim() !== 'mermaid') return fence(tokens, index, ...rest);
    const svg = withoutImports(renderMermaidSVG(content, COLORS));
    // Vue templates can't contain <style>, so pass the SVG as a string.
    const html = md.utils.escapeHtml(JSON.stringify(svg));
    return `<div class="diagram" tabindex="0" role="img" aria-label="Diagram: the text around it says the same" v-html="${html}"></div>\n`;
  };
}
