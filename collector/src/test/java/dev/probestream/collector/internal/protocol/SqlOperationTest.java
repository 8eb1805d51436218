package dev.probestream.collector.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SqlOperationTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "select a, (select b from c) from d | SELECT c",
                "SELECT * FROM \"My Table\" WHERE x | SELECT My Table",
                "select * from `db`.`t` limit *** | SELECT db.t",
                "insert into only_a (x) values (***) | INSERT only_a",
                "INSERT IGNORE INTO a.b VALUES (***) | INSERT a.b",
                "update only users set x = *** | UPDATE users",
                "delete from t where x | DELETE t",
                "with x as (select * from a) update b set c = d | UPDATE b",
                "begin | BEGIN",
                "create table if not exists t (a int) | CREATE t",
                "create unique index i on t (a) | CREATE i",
                "drop table t | DROP t",
                "(select a from b) union (select c from d) | SELECT b",
                "copy public.t (a, b) from stdin | COPY public.t",
                "copy (select a from b) to stdout | COPY",
                "*** | ^^",
            })
    void isTheVerbAndTheFirstTable(String sql, String operation) {
        assertThat(SqlOperation.of(sql)).isEqualTo(operation);
    }
}
