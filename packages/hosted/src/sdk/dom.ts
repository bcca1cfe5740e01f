/** The parent of elements without a container. A script in the head runs before the body exists. */
export function pageBody(): HTMLElement {
  return document.body ?? document.documentElement;
}

export function element<K extends keyof HTMLElementTagNameMap>(name: K): HTMLElementTagNameMap[K] {
  return document.createElement(name);
}

/**
 * Removes `node`, even if the page has replaced one of the two DOM methods for it. Prototype.js's `remove` needs a
 * parent.
 */
export function detach(node: Element | null | undefined): void {
  runAll(
    () => node?.parentNode?.removeChild(node),
    () => node?.isConnected && node.remove(),
  );
}

/** Runs every step, even if an earlier one throws because the page has replaced a function that it calls. */
export function runAll(...steps: (() => unknown)[]): void {
  for (const step of steps) {
    try {
      step();
    } catch (error) {
      console.error(error);
    }
  }
}
