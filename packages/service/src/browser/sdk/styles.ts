// Constructable style sheets are not inline styles: a page's Content-Security-Policy lets them through. Declarations
// inside a shadow root that are marked important win over the page's own, which must not break a payment form.
const STYLES = `
:host{display:contents!important}
:host([data-inline]){display:block!important;position:relative!important;width:100%!important;color:CanvasText}
*{box-sizing:border-box}
dialog{flex-direction:column;width:min(480px,100vw);max-width:none;max-height:min(100dvh,900px);margin:auto;padding:0;border:0;border-radius:12px;overflow:hidden;color-scheme:light dark;background:Canvas;color:CanvasText;box-shadow:0 8px 40px #0006;outline:0}
dialog[open]{display:flex}
dialog::backdrop{background:#000a}
header{display:flex;align-items:center;padding:6px 6px 6px 20px}
h2{flex:1;margin:0;font:600 17px/1.3 system-ui,sans-serif}
button{min-width:44px;min-height:44px;padding:0;border:0;border-radius:8px;background:none;color:inherit;font:28px/1 system-ui,sans-serif;cursor:pointer}
button:focus-visible{outline:2px solid;outline-offset:-2px}
.body{position:relative;display:flex;flex-direction:column;min-height:0}
::slotted(iframe){display:block!important;width:100%!important;min-width:0!important;max-width:none!important;min-height:120px!important;margin:0!important;padding:0!important;border:0!important;color-scheme:light dark!important}
.status{font:16px/1.5 system-ui,sans-serif}
.status button{margin-top:12px;padding:8px 20px;border:1px solid;font:inherit}
:host([data-state=loading]) .status,:host([data-state=unreachable]) .status{position:absolute;inset:0;display:flex;flex-direction:column;align-items:center;justify-content:center;padding:24px;text-align:center}
:host([data-state=loading]) ::slotted(iframe){opacity:0!important}
:host([data-state=unreachable]) ::slotted(iframe){visibility:hidden!important}
:host([data-state=held]) .status{padding:8px 20px;font-weight:600}
:host([data-state=loading]) .status::before{content:"";width:32px;height:32px;margin-bottom:12px;border:3px solid;border-top-color:transparent;border-radius:50%}
@media (prefers-reduced-motion:no-preference){:host([data-state=loading]) .status::before{animation:turn 1s linear infinite}
@keyframes turn{to{rotate:1turn}}}
@media (max-width:520px){dialog{width:100vw;height:100dvh;max-height:none;border-radius:0;padding:env(safe-area-inset-top) env(safe-area-inset-right) env(safe-area-inset-bottom) env(safe-area-inset-left)}
dialog .body{flex:1}
dialog ::slotted(iframe){flex:1 1 0}}
@media (forced-colors:active){dialog{border:2px solid}}`;

function sheet(text: string): CSSStyleSheet {
  const made = new CSSStyleSheet();
  made.replaceSync(text);
  return made;
}

export const viewSheet = (): CSSStyleSheet => sheet(STYLES);

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
