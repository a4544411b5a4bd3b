// pq.go - statements through lib/pq (drivers.py): parameters, statements prepared seven times, arrays, failures, cancelling, COPY.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/lib/pq"
)

// Ends the program with what went wrong.
func must(err error) {
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
}

func main() {
	db, err := sql.Open("postgres", os.Args[1])
	must(err)
	must(db.Ping())
	rows, err := db.Query("select id, name from things where id > $1 order by id", 1)
	must(err)
	for rows.Next() {
		var id int
		var name string
		must(rows.Scan(&id, &name))
		fmt.Println(id, name)
	}
	must(rows.Err())
	prepared, err := db.Prepare("select $1::bigint * 2")
	must(err)
	for i := 1; i <= 7; i++ {
		var twice int64
		must(prepared.QueryRow(i).Scan(&twice))
		fmt.Print(twice, " ")
	}
	fmt.Println()
	var number float64
	var day time.Time
	var absent sql.NullString
	var bytes []byte
	var list []int64
	var texts []string
	must(db.QueryRow("select 1.5::float8, date '2020-02-29', null::text, '\\x01ff'::bytea, $1::bigint[], $2::text[]", pq.Array([]int64{1, 2, 3}),
		pq.Array([]string{"a", "b\""})).Scan(&number, &day, &absent, &bytes, pq.Array(&list), pq.Array(&texts)))
	fmt.Println(number, day.Format("2006-01-02"), absent.Valid, bytes, list, texts)
	_, err = db.Query("select absent from things")
	var failure *pq.Error
	fmt.Println(errors.As(err, &failure), failure.Code, failure.Code.Name(), failure.Position)
	tx, err := db.BeginTx(context.Background(), &sql.TxOptions{ReadOnly: true})
	must(err)
	var count int
	must(tx.QueryRow("select count(*) from things").Scan(&count))
	must(tx.Rollback())
	fmt.Println(count)
	alone, err := db.Conn(context.Background())
	must(err)
	_, err = alone.ExecContext(context.Background(), "create temp table copied (a int, b text)")
	must(err)
	patience, end := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer end()
	_, err = alone.ExecContext(patience, "select count(*) from range(1000000000) a(i), range(1000000000) b(i) where a.i + b.i < 0")
	fmt.Println(err != nil)
	tx, err = db.Begin()
	must(err)
	_, err = tx.Exec("create temp table copied (a int, b text)")
	must(err)
	in, err := tx.Prepare(pq.CopyIn("copied", "a", "b"))
	must(err)
	for i := 0; i < 1000; i++ {
		_, err = in.Exec(i, fmt.Sprintf("row\t%d", i))
		must(err)
	}
	_, err = in.Exec()
	must(err)
	must(in.Close())
	var sum int64
	var last string
	must(tx.QueryRow("select sum(a), max(b) from copied").Scan(&sum, &last))
	fmt.Printf("%d %q\n", sum, last)
	must(tx.Commit())
	must(db.Close())
}
