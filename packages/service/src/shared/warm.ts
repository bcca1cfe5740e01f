/** What a page that was opened ahead of its session, and its service, know of each other. */

/** Its path, beside the sessions'. */
export const WARM = 'warm';

/** Of its request for the session: the origin of the pages around it, which are all of that one. */
export const FRAMED_BY = 'x-framed-by';

/** Of the answer: which of the business units that it was made for the session is of, and how that looks today. */
export const PAGE_KEY = 'x-page-key';
