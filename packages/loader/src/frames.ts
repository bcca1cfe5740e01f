// What can be seen of a flow on the page: its frame, be it anywhere but in a closed shadow root.

const framesIn = (root: ParentNode): HTMLIFrameElement[] =>
  [...root.querySelectorAll<HTMLIFrameElement>('*')].flatMap((element) =>
    element.localName === 'iframe' ? element : element.shadowRoot ? framesIn(element.shadowRoot) : [],
  );

const isShown = (element: HTMLElement): boolean =>
  element.offsetHeight > 0 &&
  (element.checkVisibility?.({ checkOpacity: true, checkVisibilityCSS: true }) ?? true);

/** `unseen`: no frame yet. `hidden`: it was shown, and is not any more. */
export type Sight = 'unseen' | 'there' | 'hidden' | 'gone';

/** Looks for the frame of one flow, from before its SDK is called; the first look comes right after the call. */
export function watchFrame(origin: string, container: HTMLElement | undefined): (isFirst?: boolean) => Sight {
  const before = framesIn(document);
  // An SDK may keep its frame, hidden, and show it again.
  const others = new Set(before.filter(isShown));
  let mine: HTMLIFrameElement | undefined;
  let wasShown = false;
  /** How sure it is that the frame is the flow's. */
  let sureness = 0;

  return (isFirst) => {
    // Where the container is in a closed shadow root, a search of the page does not come there.
    const inside = container ? framesIn(container) : [];
    // One that is sure and was seen stays the flow's: a long page is searched no more while it is open.
    const isFound = sureness > 2 && wasShown && mine?.isConnected;
    for (const frame of isFound ? inside : [...inside, ...framesIn(document)]) {
      const isInside = inside.includes(frame);
      const shown = isShown(frame);
      if (frame === mine || (!isInside && (others.has(frame) || (before.includes(frame) && !shown))))
        continue;
      const sure = isInside ? 4 : frame.src.startsWith(`${origin}/`) ? 3 : isFirst ? 2 : 1;
      // One that came late and cannot be seen is somebody's measuring.
      if (sure < 2 && !shown) continue;
      if (sure > sureness || (sure === sureness && !(mine?.isConnected && (wasShown || !shown)))) {
        mine = frame;
        sureness = sure;
        wasShown = false;
      } else if (sure < 2) others.add(frame);
    }
    if (container?.isConnected === false || mine?.isConnected === false) return 'gone';
    if (!mine) return 'unseen';
    const shown = isShown(mine);
    wasShown ||= shown;
    // What the page hides with the container is not the SDK's doing.
    return shown || !wasShown || (container && !isShown(container)) ? 'there' : 'hidden';
  };
}
