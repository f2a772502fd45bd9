export { CostsModule } from './costs.module.js';
export { costErrors } from './costs.errors.js';
export { type BookStatus, PriceBooks } from './books/price-books.service.js';
