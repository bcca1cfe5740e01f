/** A part of the frame's content, CSS px. */
export interface Part {
  top: number;
  height: number;
}

/** Scrolls the merchant's page to a part of the inline frame in `root`. */
export function scrollTo(root: ShadowRoot, { top, height }: Part): void {
  const part = document.createElement('i');
  part.style.cssText = `position:absolute;scroll-margin:160px 0 24px;top:${top}px;height:${height}px`;
  root.append(part);
  part.scrollIntoView({ block: 'nearest' });
  part.remove();
}
