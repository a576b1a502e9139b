/** What people do in the shop, and how often. */
import { addToCart, checkOut, listProducts, search, showCart, showProduct } from "./storefront.ts";
import type { Scene } from "./scene.ts";
import { navigation, pageLoad } from "./web.ts";
import type { Work } from "./work.ts";

interface Visit {
  /** How often it happens, compared with the others. */
  readonly share: number;
  begin(scene: Scene): Work;
}

/** The last ones come from the shop's app for phones, which sends nothing itself. */
const VISITS: readonly Visit[] = [
  { share: 20, begin: (scene) => pageLoad(scene, "/", [listProducts(scene)]) },
  { share: 11, begin: (scene) => pageLoad(scene, "/search", [search(scene)]) },
  {
    share: 9,
    begin: (scene) => pageLoad(scene, "/products/:id", [showProduct(scene), showCart(scene)]),
  },
  { share: 16, begin: (scene) => navigation(scene, "/products/:id", [showProduct(scene)]) },
  { share: 8, begin: (scene) => navigation(scene, "/cart", [addToCart(scene), showCart(scene)]) },
  { share: 9, begin: (scene) => navigation(scene, "/checkout", [checkOut(scene)]) },
  { share: 9, begin: listProducts },
  { share: 7, begin: showProduct },
  { share: 6, begin: showCart },
  { share: 3, begin: checkOut },
];

const TOTAL = VISITS.reduce((total, { share }) => total + share, 0);

/** What somebody does. */
export function visit(scene: Scene): Work {
  let left = scene.random.next() * TOTAL;
  const chosen = VISITS.find(({ share }) => (left -= share) < 0) ?? VISITS[0];
  if (chosen === undefined) throw new Error("Nobody does anything in this shop");
  return chosen.begin(scene);
}
