import type { ColorScheme } from '@shared/appearance.js';

// Constructed style sheets, because Content-Security-Policy allows them. Important declarations inside a shadow root override
// the page's own, which must not break a payment form.
//
// - `output`, the status, covers the frame for half a second after it opens, so that the second click of a double click can't
//   pay. Decision 0071 says why the frame is neither inert nor fully transparent.
// - Animations with `backwards` only wait, because browsers restyle the page for each frame of an animation that runs, even if
//   nothing changes, while the form is loading.
// - An inline frame has the color scheme of the merchant's page. Behind a document with another scheme, browsers put an opaque
//   background, for example if that page has changed its own.
// - `[data-inline]`: fields line up with the page's text, and the outline of the focus is outside of it, unless the form has
//   a background or its container is as wide as the window or clips its content.
// - The empty grid gives an inline flow its preferred width in containers that fit their content, such as flex rows, floats
//   and table cells. Narrower containers shrink it, but adjacent long text does not.
// - Until its page reports a height, a frame has the height of a bill's payment, as `<EmbeddedFlow>` has.
// - `i`: the skeleton has the same bars as the page's (`.skeleton` in page.css), of a bill's payment, so nothing moves when the
//   page appears. The spinner in its button is the `span` with the status text, which only screen readers read.
// - `img`: the logo's space is reserved while it loads.
// - `[data-page=asking]`: while the page in the frame asks whether to leave, the close button is as dim as that page. The
//   section is then a single layer, because the antialiased corners of several would add up to a bright edge.
const STYLES = `\
:host{all:revert!important;flex-direction:column!important;min-height:0!important;display:flex!important;font:clamp(16px,1rem,32px)/1.3 system-ui!important}\
:host([data-inline]){--gutter:5px;position:relative!important;display:block!important}\
:host([data-inline])::before{display:grid;content:"";grid-template-columns:minmax(min(280px,75vw),640px)}\
:host([data-inline]:not([data-inline^="#"])){margin:0 clamp(-5px,50% - 50vw + 9px,0px)!important}\
header{position:absolute;inset:0 0 auto;padding:6px;padding-inline-start:20px;align-items:center;display:flex}\
img{min-width:2.25em;max-width:40%;height:2.25em;object-fit:contain;border-radius:6px;margin-inline-end:12px}\
header span{font-weight:600;overflow:hidden;flex:1}\
button{min-width:44px;height:44px;padding:0;color:inherit;border:0;border-radius:8px;background:none;font:inherit;cursor:pointer}\
header button{z-index:1;position:relative}\
header button::before,header button::after{content:"";position:absolute;inset:calc(22px - .6em) calc(22px - .0625em);rotate:45deg;border-left:.125em solid}\
header button::after{rotate:-45deg}\
:host([data-page=asking]){section{opacity:.999}button{opacity:.4}}\
section{min-height:0;flex-direction:column;display:flex;position:relative}\
output{position:absolute;animation:still 0s .5s backwards}\
@keyframes still{from{inset:0}}\
::slotted(iframe){all:revert!important;width:0!important;min-height:120px!important;max-height:4000px!important;border:0!important;min-width:100%!important;height:var(--embedded-session-height,757px)!important;display:block!important}\
output button{border:1px solid;padding:8px 20px}\
:host([data-state=loading]) output,:host([data-state=unreachable]) output{text-align:center;place-items:center;gap:12px;display:grid;margin:var(--y,64px) var(--gutter,20px) 0;overflow:hidden;align-content:center;inset:0}\
:host([data-state=loading]) ::slotted(iframe){opacity:.001!important}\
:host([data-state=unreachable]) ::slotted(iframe){visibility:hidden!important}\
:host([data-state=unreachable]) section{min-height:240px}\
:host([data-state=held]) output{inset:0 0 auto;background:#fff;font-weight:600;padding:16px;padding-inline:20px 60px}\
:host([data-state=loading]) output{place-items:normal;align-content:start;grid:auto/1fr 1fr;gap:43px clamp(8px,100% - 319px,16px);\
span{font-size:0;border:3px solid;margin:-79px auto 0;animation:late 0s .4s backwards,turn 1s linear infinite;height:18px;width:18px;border-top-color:#0000;border-radius:50%}}\
i{opacity:.3;background:#8886;height:48px;border-radius:10px}\
i:first-child{width:40%;height:28px;margin:8px 0 117px;box-shadow:0 58px #8886}\
i:first-child,i:nth-child(4),i:nth-child(9),span{grid-column:span 2}\
i:nth-child(9){background:var(--embedded-session-accent,#888);margin-top:-14px}\
@media (max-width:351px){i:nth-child(n+7){grid-column:span 2}}\
@keyframes late{from{opacity:0}}\
@media (prefers-reduced-motion:no-preference){@keyframes turn{to{rotate:1turn}}}`;

function sheet(text: string): CSSStyleSheet {
  const made = new CSSStyleSheet();
  made.replaceSync(text);
  return made;
}

export const viewSheet = (scheme: ColorScheme): CSSStyleSheet => sheet(inScheme(STYLES, scheme));

/** Fills in the scheme and the pages' background color, `--sheet` in their style sheet. */
function inScheme(text: string, scheme: ColorScheme): string {
  return scheme === 'dark' ? text.replace('light', scheme).replaceAll('#fff', '#19212b') : text;
}

// Every declaration becomes important (see `styleModal`). The doubled id, which only the one open dialog has, overrides the
// page's selectors, and `all` resets its styles for every dialog.
//
// - Inherited properties have their own values, because a page may disable its body while it shows its own dialog.
// - The top of a form stays in place whatever its height, so nothing jumps. A dialog less than 500 px high, such as one that
//   says why nothing can be paid, is centered.
// - The outline marks the edge on a dark page and in forced colors.
// - While the page in the frame is dimmed, the dialog has no background, which would show at the corners.
// - It rises with a transition, because important declarations override animations, `all` among them.
const MODAL = `\
#embedded-session#embedded-session{--height:var(--embedded-session-height,757px);all:revert;flex-direction:column;visibility:visible;pointer-events:auto;max-width:none;box-sizing:border-box;width:min(480px,100vw);max-height:min(96dvh,50dvh + 368px,900px);margin:max(2dvh,50dvh - min(384px,max(var(--height)/2,99*(var(--height) - 500px)))) auto auto;padding:0;border:0;border-radius:calc(var(--embedded-session-radius,10px)*1.2);box-shadow:0 24px 64px #0006;overflow:hidden;color-scheme:light;background:#fff;color:CanvasText;outline:1px solid #8886;\
&::backdrop{background:#0000008c;}\
&:has([data-page=asking]){background:none;}\
@media (prefers-reduced-motion:no-preference){transition:translate .16s ease-out;@starting-style{translate:0 16px;}}\
@media (max-width:520px){width:100%;margin:auto 0 0;border-radius:calc(var(--embedded-session-radius,10px)*1.2) calc(var(--embedded-session-radius,10px)*1.2) 0 0;padding-bottom:env(safe-area-inset-bottom);@starting-style{translate:0 100%;}}}`;

/** Some pages replace all their style sheets, for example when they change their theme. */
const RESTORE_MS = 200;

/**
 * Styles the modal and locks the page's scrolling. Returns a function that undoes both. Uses a style sheet, because it
 * changes no attributes of the page. The gutter reserves the space of the scrollbar, so that nothing shifts. If only the
 * body has an overflow, the window scrolls by it. It would become the body's own, and lose the scroll position.
 */
export function styleModal(scheme: ColorScheme): () => void {
  const root = document.documentElement;
  const gutter = innerWidth > root.clientWidth ? 'scrollbar-gutter:stable;' : '';
  const body = getComputedStyle(root).overflowX === 'visible' ? 'body{overflow:visible;}' : '';
  const rules = `html{overflow:hidden;${gutter}}${body}${inScheme(MODAL, scheme)}`;
  const added = sheet(rules.replaceAll(';', '!important;'));
  const add = (): void => {
    if (!document.adoptedStyleSheets.includes(added)) document.adoptedStyleSheets.push(added);
  };

  add();
  const timer = setInterval(add, RESTORE_MS);
  return () => {
    clearInterval(timer);
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== added);
  };
}
