/**
 * The advisory locks of the service; any numbers of our own, no two alike, for all of one database share one space. They
 * stay what they are: an older replica that runs beside a newer one must wait for the same number.
 */
export const ADVISORY_LOCKS = {
  /** one process at a time migrates */
  migrations: 7_310_845_226,
  /** one process at a time makes a signing key */
  signingKeys: 7_310_845_227,
  /** changes of who administers what take turns, so that "the last one" is a fact */
  administration: 7_310_845_228,
  /** replicas that start at once make the views of SQL queries one after the other */
  queryCatalog: 7_310_845_229,
} as const;
