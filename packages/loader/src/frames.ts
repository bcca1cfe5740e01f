// What can be seen of a flow on the page: the frames that it shows, be they anywhere but in a closed shadow root.

const framesIn = (root: ParentNode): HTMLIFrameElement[] =>
  [...root.querySelectorAll('*')].flatMap((element) =>
    element.localName === 'iframe'
      ? (element as HTMLIFrameElement)
      : element.shadowRoot
        ? framesIn(element.shadowRoot)
        : [],
  );

const isShown = (element: HTMLElement): boolean =>
  element.checkVisibility?.({ checkOpacity: true, checkVisibilityCSS: true }) !== false &&
  element.offsetHeight > 0;

/** How sure it is that a frame is the flow's. A frame that is surer takes the place of all that are less so. */
const IN_CONTAINER = 4;
const AT_ORIGIN = 3;
const AT_ONCE = 2;
const LATER = 1;

/** `unseen`: no frame yet. `there`: on the page. `hidden`: all still there, none of them shown any more. */
export type Sight = 'unseen' | 'there' | 'hidden' | 'gone';

/** Looks for the frames of one flow, from before its SDK is called. */
export function watchFrames(
  origin: string,
  container: Element | undefined,
  othersContainers: () => Element[],
): (atOnce?: boolean) => Sight {
  // Where the container is in a closed shadow root, the page's own search does not come there.
  const inContainer = () => (container ? framesIn(container) : []);
  const before = new Map(framesIn(document).map((frame) => [frame, isShown(frame)]));
  /** The flow's, and whether each has been shown. */
  let mine = new Map<HTMLIFrameElement, boolean>();
  let sureness = LATER;
  let sight: Sight = 'unseen';

  return (atOnce) => {
    const inside = inContainer();
    const others = othersContainers().flatMap(framesIn);
    for (const frame of new Set([...inside, ...framesIn(document)])) {
      const isInside = inside.includes(frame);
      // An SDK may keep its frame, hidden, and show it again.
      const isOld = !isInside && before.has(frame) && (before.get(frame) || !isShown(frame));
      if (isOld || mine.has(frame) || others.includes(frame)) continue;
      const sure = isInside
        ? IN_CONTAINER
        : frame.src.startsWith(`${origin}/`)
          ? AT_ORIGIN
          : atOnce
            ? AT_ONCE
            : LATER;
      // One that was never to be seen is somebody's measuring.
      if (sure === LATER && !isShown(frame)) continue;
      if (sure > sureness) mine = new Map();
      // Of frames that came later any may be another's, such as a chat's: only the first counts.
      if (sure > sureness || (sure === sureness && (sure > LATER || sight !== 'there'))) {
        sureness = sure;
        mine.set(frame, false);
        sight = 'there';
      }
    }
    const live = [...mine.keys()].filter((frame) => frame.isConnected);
    const isThere = live.some((frame) => {
      const shown = isShown(frame);
      const wasShown = mine.get(frame);
      mine.set(frame, wasShown || shown);
      // What the page hides with the container is not the SDK's doing.
      return shown || !wasShown || (container && !isShown(container as HTMLElement));
    });
    if (container && !container.isConnected) return (sight = 'gone');
    return (sight = !mine.size ? 'unseen' : isThere ? 'there' : live[0] ? 'hidden' : 'gone');
  };
}
