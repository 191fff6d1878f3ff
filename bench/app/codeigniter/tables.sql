CREATE TABLE categories (id serial PRIMARY KEY, title text NOT NULL, slug text NOT NULL UNIQUE);
CREATE TABLE threads (id serial PRIMARY KEY, category_id int NOT NULL REFERENCES categories, title text NOT NULL, body text NOT NULL);
CREATE TABLE posts (id serial PRIMARY KEY, category_id int NOT NULL REFERENCES categories, thread_id int NOT NULL REFERENCES threads, body text NOT NULL);
INSERT INTO categories (title, slug) SELECT 'Category <' || n || '>', 'category-' || n FROM generate_series(1, 35) n;
INSERT INTO threads (category_id, title, body) SELECT 1 + n % 35, 'Thread ' || n, repeat('word ', 60) FROM generate_series(0, 349) n;
INSERT INTO posts (category_id, thread_id, body) SELECT 1 + n % 35, 1 + n % 350, repeat('word ', 20) || n FROM generate_series(1000, 2749) n;
CREATE INDEX ON threads (category_id);
CREATE INDEX ON posts (category_id);
