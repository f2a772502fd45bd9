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

/** Classes of locks with two parts: the class, and a hash of what is locked. They are a space of their own. */
export const ADVISORY_LOCK_CLASSES = {
  /** writes of a user share it while they commit; whoever takes rights from the user holds it alone */
  rightsOfUser: 7_310,
  /** scans, waivers and custom checks of a tenant take turns */
  securityOfTenant: 731_084,
  /** one request at a time starts a whole scan of a state, or a catch-up of a tenant */
  securityScanOfState: 731_085,
  /** one request at a time starts a calculation of a state's costs */
  costCalculationOfState: 731_087,
  /** one repair at a time of what a tenant's states cost together */
  costTotalsOfTenant: 731_088,
  /** loads and matches of a tenant's bills take turns */
  billingOfTenant: 731_086,
  /** one taker at a time begins a run of an installation, so that its limit is a fact */
  runsOfInstallation: 731_089,
} as const;
