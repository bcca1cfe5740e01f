// Constructable style sheets are not inline styles: a page's Content-Security-Policy lets them through. Declarations
// inside a shadow root that are marked important win over the page's own, which must not break a payment form.
const FRAME = `
*{box-sizing:border-box}
::slotted(iframe){display:block!important;width:100%!important;min-width:0!important;max-width:none!important;margin:0!important;padding:0!important;border:0!important;color-scheme:light dark!important}
.status{margin:0;font:16px/1.5 system-ui,sans-serif}
.status button{font:inherit;min-height:44px;margin-top:12px;padding:8px 20px;border:1px solid;border-radius:8px;background:none;color:inherit;cursor:pointer}
:host([data-state=loading]) .status,:host([data-state=unreachable]) .status{position:absolute;inset:0;display:flex;flex-direction:column;align-items:center;justify-content:center;padding:24px;text-align:center}
:host([data-state=loading]) ::slotted(iframe),:host([data-state=unreachable]) ::slotted(iframe){visibility:hidden!important}
:host([data-state=held]) .status{padding:8px 20px;font-weight:600}
:host([data-state=ready]) .status{display:none}
:host([data-state=loading]) .status::before{content:"";width:32px;height:32px;margin-bottom:12px;border:3px solid;border-top-color:transparent;border-radius:50%}
@media (prefers-reduced-motion:no-preference){
:host([data-state=loading]) .status::before{animation:turn 1s linear infinite}
dialog[open]{animation:appear .15s}
@keyframes turn{to{rotate:1turn}}
@keyframes appear{from{opacity:0}}}
`;

const INLINE = `:host{display:block!important;position:relative!important;width:100%!important;color:CanvasText}${FRAME}`;

const MODAL = `:host{display:contents!important}
dialog{display:none;flex-direction:column;width:min(480px,100vw);max-width:none;max-height:min(100dvh,900px);margin:auto;padding:0;border:0;border-radius:12px;overflow:hidden;color-scheme:light dark;background:Canvas;color:CanvasText;box-shadow:0 8px 40px #0006;outline:0;overscroll-behavior:contain}
dialog[open]{display:flex}
dialog::backdrop{background:#000a;overscroll-behavior:contain}
header{display:flex;align-items:center;flex:none;gap:8px;padding:6px 6px 6px 20px}
h2{flex:1;margin:0;font:600 17px/1.3 system-ui,sans-serif}
header button{flex:none;width:44px;height:44px;padding:0;border:0;font:28px/1 system-ui,sans-serif;border-radius:8px;background:none;color:inherit;cursor:pointer}
header button:hover{background:#8883}
button:focus-visible{outline:2px solid;outline-offset:-2px}
.body{position:relative;display:flex;flex-direction:column;flex:0 1 auto;min-height:0}
::slotted(iframe){flex:0 1 auto;min-height:120px!important}
@media (max-width:520px){
dialog{width:100vw;height:100dvh;max-height:none;border-radius:0;padding:env(safe-area-inset-top) env(safe-area-inset-right) env(safe-area-inset-bottom) env(safe-area-inset-left)}
.body{flex:1}
::slotted(iframe){flex:1 1 0}}
@media (forced-colors:active){dialog{border:2px solid}}
${FRAME}`;

function sheet(text: string): CSSStyleSheet {
  const made = new CSSStyleSheet();
  made.replaceSync(text);
  return made;
}

export const modalSheet = (): CSSStyleSheet => sheet(MODAL);
export const inlineSheet = (): CSSStyleSheet => sheet(INLINE);

/**
 * Locks the page's scrolling and returns what unlocks it. A sheet leaves no trace in the page's attributes, and the
 * gutter keeps the room of a scrollbar that takes some, so that nothing shifts.
 */
export function lockScroll(): () => void {
  const takesRoom = innerWidth > document.documentElement.clientWidth;
  const lock = sheet(
    `html{overflow:hidden!important;${takesRoom ? 'scrollbar-gutter:stable!important' : ''}}`,
  );
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, lock];
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== lock);
  };
}
