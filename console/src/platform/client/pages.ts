/** For infinite queries of lists that end with `next_page`. */
export const BY_PAGE_TOKEN = {
  // No parameter at all: an empty token is refused.
  initialPageParam: undefined as never,
  getNextPageParam: (page: { next_page?: string }) => page.next_page,
};

/** For infinite queries of lists that end with `next_cursor`. */
export const BY_CURSOR = {
  initialPageParam: undefined as never,
  getNextPageParam: (page: { has_more?: boolean; next_cursor?: unknown }) =>
    page.has_more && typeof page.next_cursor === 'string' ? page.next_cursor : undefined,
};
